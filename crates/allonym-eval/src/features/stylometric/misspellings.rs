//! Frequent misspellings of English, each of which is no other word.

use std::sync::LazyLock;

/// The misspellings, in the order of the alphabet.
pub(super) static MISSPELLINGS: LazyLock<Vec<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());

const WORDS: &str = "\
    abit absense accidently accomodate accomodation accross acheive acknowlege adress agressive alot \
    amature apparantly apparentley arguement assasination aswell atleast basicly beacuse beautifull \
    becasue becuase begining beleive belive bizzare buisness calender carreer catagory cemetary \
    changable collegue comming commited commitee completly concious congradulations convinient \
    curiousity defiantely definately definatly definitly desparate develope diffrent dilemna dissapear \
    dissapoint dissapointed ecstacy embarass embarassed embarassing enviroment equiptment especialy \
    everytime exagerate excellant excercise existance experiance extreem familar finaly foriegn fourty \
    foward freind freinds fustrated futher garantee gaurd goverment grammer gratefull greatful happend \
    harrass heigth hieght humourous hypocracy imediately immediatly incase independant infact inteligent \
    interupt intresting irregardless irresistable jewelery knowlege liason libary maintainance manuever \
    medeval millenium minature mischievious mispell neccessary necesary neice nieghbor noone noticable \
    occasionaly occassion occured occurence occuring ofcourse opertunity oppurtunity orignal paralel \
    parliment particulary peice peices peopel percieve perfomance persistant personaly poeple posession \
    potatos practicaly prefered privelege priviledge probally probaly prolly publically realy reccomend \
    recieve recieved recomend refered relevent religous rember remeber repitition restaraunt resturant \
    rythm sacrafice saftey seperate seperated shedule sieze similiar sincerly speach stoped strenght \
    studing succesful successfull supposably suprise suprised teh thier threshhold tommorow tommorrow \
    tomorow tounge truely tryed unfortunatly unneccessary untill usally usefull useing vaccum vegtable \
    vehical visable wellfare whereever wich wierd wonderfull writen writting yatch yeild";
